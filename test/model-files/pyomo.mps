* Source:     Pyomo MPS Writer
* Format:     Free MPS
*
NAME unknown
OBJSENSE
 MAX
ROWS
 N  o
 G  r_l_c(1)_
 L  r_u_c(1)_
 L  c_u_c(2)_
 E  c_e_c(3)_
 G  c_l_c(4)_
 E  c_e_ONE_VAR_CONSTANT
COLUMNS
     x(0) o 3
     x(0) r_l_c(1)_ 1
     x(0) r_u_c(1)_ 1
     x(0) c_u_c(2)_ 2
     x(1) o 5
     x(1) r_l_c(1)_ 2.5
     x(1) r_u_c(1)_ 2.5
     x(1) c_u_c(2)_ 1
     x(1) c_e_c(3)_ 1
     x(2) o 20
     x(2) c_u_c(2)_ 15
     x(3) o -1.25
     x(3) c_e_c(3)_ -1
     x(4) o 2
     x(4) c_l_c(4)_ -3
     x(5) o -1
     x(5) r_l_c(1)_ 1
     x(5) r_u_c(1)_ 1
     x(5) c_l_c(4)_ 1
     ONE_VAR_CONSTANT o 7
     ONE_VAR_CONSTANT c_e_ONE_VAR_CONSTANT 1
RHS
     RHS r_l_c(1)_ 12
     RHS r_u_c(1)_ 90
     RHS c_u_c(2)_ 60
     RHS c_e_c(3)_ 3.5
     RHS c_l_c(4)_ 4
     RHS c_e_ONE_VAR_CONSTANT 1
BOUNDS
 LI BOUND x(0) 0
 UI BOUND x(0) 10E20
 LO BOUND x(1) 0
 UP BOUND x(1) 40
 BV BOUND x(2)
 FR BOUND x(3)
 LO BOUND x(4) -8
 UP BOUND x(4) -2
 LI BOUND x(5) 2
 UI BOUND x(5) 9
ENDATA
